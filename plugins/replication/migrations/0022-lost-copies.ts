import { defineMigration } from '#kernel'

/** Contents of a data set that was lost, by id: they are copied to its successor. */
export const lostCopiesMigration = defineMigration('0022-lost-copies', [
  "create index copies_lost on copies (data_set_id, content_id) where state = 'lost'",
])
