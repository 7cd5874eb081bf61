import type { Reader } from '#kernel'

/** Service URL of a provider that can serve the piece of copy `c`: committed copies first, then rotating with the setbacks. */
const sourceUrl = `(select d.service_url from copies s join data_sets d on d.id = s.data_set_id
  where s.piece_id = c.piece_id and s.data_set_id <> c.data_set_id and s.state in ('parked', 'batched', 'unconfirmed', 'attention', 'committed')
    and d.state in ('ready', 'write_blocked', 'retiring')
  order by s.state = 'committed' desc, (s.id + c.setbacks) % 8 limit 1)`

/** Planned copies of a data set that another provider can already serve, oldest first. */
export async function pullCandidates(reader: Reader, dataSetId: number, nowMs: number, limit: number): Promise<readonly PullCandidate[]> {
  return reader.all<PullCandidate>(
    `select c.id as copyId, c.content_id as contentId, c.setbacks as setbacks, p.piece_cid as pieceCid, p.length as length, ${sourceUrl} as sourceUrl
     from copies c join pieces p on p.id = c.piece_id
     where c.data_set_id = ? and c.state = 'planned' and c.next_attempt_at <= ? and p.piece_cid is not null and sourceUrl is not null
     order by c.id limit ?`,
    dataSetId,
    nowMs,
    limit,
  )
}

/** Source URL of each piece of a pull, by copy id; without pieces that have no source. */
export async function sourceUrls(reader: Reader, batchId: number): Promise<ReadonlyMap<number, string>> {
  const rows = reader.all<{ copyId: number; url: string | null }>(
    `select c.id as copyId, ${sourceUrl} as url from commit_items i join copies c on c.id = i.copy_id where i.batch_id = ?`,
    batchId,
  )
  return new Map(rows.flatMap(({ copyId, url }) => (url === null ? [] : [[copyId, url] as const])))
}

interface PullCandidate {
  readonly copyId: number
  readonly contentId: number
  readonly setbacks: number
  readonly pieceCid: string
  readonly length: number
  /** Service URL of a provider that has the piece. */
  readonly sourceUrl: string
}

/** Earliest retry time of a planned copy; undefined when none waits. */
export async function nextPullAtMs(reader: Reader, dataSetId: number, nowMs: number): Promise<number | undefined> {
  const row = reader.get<{ at: number | null }>(
    "select min(next_attempt_at) as at from copies where data_set_id = ? and state = 'planned' and next_attempt_at > ?",
    dataSetId,
    nowMs,
  )
  return row?.at ?? undefined
}
