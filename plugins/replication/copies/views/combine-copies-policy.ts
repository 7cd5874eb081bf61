import type { CopyRecord, CopyStatus } from '../../contract.ts'

/** Worst first. */
const order: readonly CopyStatus[] = ['failed', 'pending', 'piece_ready', 'committing', 'committed']
const rank = ({ status }: CopyRecord) => order.indexOf(status)

interface PartCopy extends CopyRecord {
  readonly contentId: number
}

/**
 * One record for each copy of a composite content with `parts` different parts: that of the part that is furthest behind. Of the records of
 * one part the best counts, because a copy is made again after it was lost. A part without a record is not planned yet.
 */
export function combineCopies(copies: readonly PartCopy[], parts: number): readonly CopyRecord[] {
  return [...Map.groupBy(copies, ({ copyIndex }) => copyIndex).values()].flatMap((ofSlot) => {
    const best = [...Map.groupBy(ofSlot, ({ contentId }) => contentId).values()].flatMap(
      (ofPart) => ofPart.toSorted((a, b) => rank(b) - rank(a))[0] ?? [],
    )
    const [worst] = best.toSorted((a, b) => rank(a) - rank(b))
    if (!worst) return []
    const { contentId: _, ...record } = worst
    return best.length < parts && record.status !== 'failed' ? { ...record, status: 'pending' as const } : record
  })
}
