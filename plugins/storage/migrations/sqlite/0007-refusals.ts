import { defineMigration } from '#kernel'

const isStray = `state in ('transferring', 'batched', 'unconfirmed', 'attention') and batch_id in (select id from commit_batches where state = 'closed')`

/** Refusals by providers: writes to data sets, large pulls, creations. Also frees copies that a closed batch kept. */
export const refusalsMigration = defineMigration('0007-refusals', [
  // Consecutive answers "not found" or "ended", and until when writes to the data set are paused because of them.
  'alter table data_sets add column refusals integer not null default 0',
  'alter table data_sets add column writes_paused_until bigint',
  // Until when the provider throttles pulls. For some time afterwards pulls are small.
  'alter table data_sets add column pulls_throttled_until bigint',
  // Earliest time at which the provider may have received the signed creation; null before it is sent.
  'alter table data_sets add column create_offered_at bigint',
  'update data_sets set create_offered_at = create_started_at where create_started_at is not null',

  // Each refusal of a paid request, kept for as long as the provider counts it.
  'create table provider_refusals (id integer primary key autoincrement, provider_id text not null, at bigint not null)',
  'create index provider_refusals_of on provider_refusals (provider_id, at)',

  `update commit_batches set state = 'closed', last_error = 'the data set ended' where state in ('pulling', 'ready')
     and data_set_id in (select id from data_sets where state in ('write_blocked', 'retiring', 'retired', 'abandoned', 'lost'))`,
  // The batch will never be sent: its copies are planned again, or end with their content or data set.
  `update copies set state = case
       when (select c.state from contents c where c.id = content_id) = 'deleting' then 'removed'
       when (select d.state from data_sets d where d.id = data_set_id) = 'ready' then 'planned'
       else 'lost' end,
     method = 'pull', batch_id = null, uploaded_at = null, parked_at = null, last_error_code = 'freed' where ${isStray}`,
  // They have no open task: the next start enqueues the store of their contents.
  "create index copies_freed on copies (content_id) where last_error_code = 'freed'",
])
