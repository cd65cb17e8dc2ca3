"""What calls cost: prices, plans, estimates, the cap and the bill."""
