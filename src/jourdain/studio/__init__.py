"""The studio: a live machine on a page of the browser. The page draws and asks; everything else is decided here.

bench        the one document and its live machine, for all pages that look at it
asks         what pages may ask for, and how it is answered
menus        what can be done with a part, and why something cannot
new_machines  what a new machine begins as
shown_parts  what is drawn, and the tree of parts
document_links  a document in a link
snapshot     a moment of the machine as bytes
client       one page: events in order, snapshots as fast as it takes them
guard        who may talk to us, how much and how fast
app          addresses, and what is found there
show         the page of a machine that a program or a notebook runs
serve        ports, folders, a second studio on the same file
"""
