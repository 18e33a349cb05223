-- SQLite's own: the words of the index in order, so that an unfinished word is finished in a bounded number of ways.
CREATE VIRTUAL TABLE relationship_word USING fts5vocab(relationship_text, row);
