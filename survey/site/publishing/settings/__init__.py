"""What the plugin adds to the mkdocs.yml of a survey: settings that every survey needs, and a navigation."""
