"""What happens to what a person has when a run is killed, the disk is full, or nothing can be written."""
