"""What acts in the joints: drives and their limits, gears' rotors, damping, springs, friction that holds."""
