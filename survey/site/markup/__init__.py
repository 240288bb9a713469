"""What pages share: links, text that cannot act, lists of works, templates, feeds."""
