/** Rules over contents that consist of other contents, and over empty ones: statements that find violating rows. */
import type { RowRule } from '#kernel/system'
import { find, restore } from './object-rules-store.ts'

/** A content with its bucket and one of its keys. */
const content = `select c.id, b.name as bucket, (select min(v.key) from object_versions v where v.content_id = c.id) as key
  from contents c left join buckets b on b.id = c.bucket_id`

/** Worst last. */
const rank = (state: string) =>
  `case ${state} when 'lost' then 4 when 'failed' then 3 when 'storing' then 2 when 'unstored' then 1 else 0 end`

export const compositeRules: readonly RowRule[] = [
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'hold_count is not the number of places in composites and in unfinished uploads, and one more for a pack',
    repair: restore,
    find: find(`${content} where c.hold_count <> (select count(*) from content_parts p where p.part_content_id = c.id)
      + (select count(*) from held_parts h where h.content_id = c.id) + (select count(*) from packs p where p.content_id = c.id)`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'a composite has other parts than its row says, or is itself a part or cached',
    repair: restore,
    find: find(`${content} left join (select content_id, count(*) as parts, sum(length) as bytes, max(part_no) as last
        from content_parts group by content_id) p on p.content_id = c.id
      where c.part_count <> coalesce(p.parts, 0) or (c.part_count > 0 and (p.bytes <> c.size or p.last <> c.part_count - 1 or c.hold_count > 0
        or exists (select 1 from cache_entries e where e.content_id = c.id)))`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'a part is not at the end of the parts before it, or is no content with bytes of its own in its bucket',
    repair: restore,
    find: find(`${content} where c.id in (select p.content_id from content_parts p join contents w on w.id = p.content_id
      join contents l on l.id = p.part_content_id where l.size <> p.length or l.part_count > 0 or l.size = 0 or l.bucket_id <> w.bucket_id
      or p.offset_bytes <> (select coalesce(sum(a.length), 0) from content_parts a where a.content_id = p.content_id and a.part_no < p.part_no))`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'an unfinished upload holds a content that is no content with bytes of its own and of that length',
    repair: restore,
    find: find(`${content} where c.id in (select h.content_id from held_parts h join contents l on l.id = h.content_id
      where l.size <> h.length or l.size = 0 or l.part_count > 0)`),
  },
  {
    invariant: 'I-19',
    kind: 'content',
    violation: 'the state or the copies of a composite are not those of its parts',
    repair: restore,
    find: find(`${content} join (select p.content_id, min(l.durable_copies) as durable, min(l.readable_copies) as readable,
        max(${rank('l.store_state')}) as worst
        from content_parts p join contents l on l.id = p.part_content_id group by p.content_id) x on x.content_id = c.id
      where c.durable_copies <> x.durable or c.readable_copies <> x.readable or ${rank('c.store_state')} <> x.worst`),
  },
  {
    invariant: 'I-20',
    kind: 'content',
    violation: 'an empty content is not stored, or has a cache entry',
    repair: restore,
    find: find(`${content} where c.size = 0 and (c.store_state <> 'stored'
      or exists (select 1 from cache_entries e where e.content_id = c.id))`),
  },
]
