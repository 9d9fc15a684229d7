"""What every evaluation is made of: the context, rows, forces, formulas and the equations of motion."""
