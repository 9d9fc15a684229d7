"""Elements with states of their own: filters, controllers, motors."""
