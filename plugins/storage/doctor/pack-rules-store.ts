/** Rules over packs, their members, and the contents that wait for one. */
import type { RowRule } from '#kernel/system'
import { find, restore } from './object-rules-store.ts'

/** Content `c` with its bucket and one of its keys. */
const content = `select c.id, b.name as bucket, (select min(v.key) from object_versions v where v.content_id = c.id) as key
  from contents c left join buckets b on b.id = c.bucket_id`

const member = `${content} join pack_members m on m.content_id = c.id join contents p on p.id = m.pack_id`

export const packRules: readonly RowRule[] = [
  {
    invariant: 'I-18',
    kind: 'content',
    violation:
      'a pack is of another bucket than its content, does not count its members, their bytes and versions, or has fewer bytes than they',
    repair: restore,
    find: find(`${content} join packs k on k.content_id = c.id left join (select m.pack_id, count(*) as members, sum(m.length) as bytes,
        sum(o.ref_count) as versions, sum(o.current_count) as current from pack_members m join contents o on o.id = m.content_id
        group by m.pack_id) x on x.pack_id = c.id
      where k.bucket_id <> c.bucket_id or k.members <> coalesce(x.members, 0) or k.living_bytes <> coalesce(x.bytes, 0)
        or k.versions <> coalesce(x.versions, 0) or k.current_versions <> coalesce(x.current, 0) or k.living_bytes > c.size`),
  },
  {
    invariant: 'I-19',
    kind: 'content',
    violation: 'the state or the copies of a member are not those of its pack',
    repair: restore,
    find: find(`${member} where c.durable_copies <> p.durable_copies or c.readable_copies <> p.readable_copies
      or (c.store_state <> p.store_state and p.store_state <> 'lost')`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'a member has no place of its length in a live pack of its bucket, or no SHA-256',
    repair: restore,
    find: find(`${member} where m.length <> c.size or m.offset_bytes < 32 or m.offset_bytes + m.length > p.size
      or p.bucket_id <> c.bucket_id or p.state <> 'live' or c.state <> 'live' or c.sha256 is null or p.target_copies < c.target_copies`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'two members share bytes of a pack',
    repair: restore,
    find: find(`${content} where c.id in (select m.content_id from pack_members m join pack_members o on o.pack_id = m.pack_id
      and o.offset_bytes > m.offset_bytes and o.offset_bytes < m.offset_bytes + m.length)`),
  },
  {
    invariant: 'I-18',
    kind: 'content',
    violation: 'a content waits for a pack, and is a member, a pack, of another bucket or not live, or a pack is a member',
    repair: restore,
    find: find(`${content} where c.id in (select w.content_id from waiting_members w join contents o on o.id = w.content_id
        where o.state <> 'live' or o.bucket_id <> w.bucket_id or o.size <> w.length
          or w.content_id in (select content_id from pack_members) or w.content_id in (select content_id from packs))
      or (c.id in (select content_id from pack_members) and c.id in (select content_id from packs))`),
  },
]
