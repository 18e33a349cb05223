"""The console: its pages, its forms and who is signed in."""
