"""What a run leaves behind: named channels, reactions, energies, status."""
