/** Layout of the map bucket, data set, provider: which nodes are shown, where, and what belongs together. */
import type { Tone } from '@svc/ui-kit'

export interface LaneNode {
  readonly id: string
  readonly label: string
  readonly tone: Tone
  /** The tone in a word: `healthy`. */
  readonly state: string
}

export interface LaneSet extends LaneNode {
  readonly bucket: string
  readonly provider: string
  /** `Replica 1` */
  readonly note?: string | undefined
  /** Served this bucket before: grey, with thin lines. */
  readonly retired?: boolean | undefined
  /** A running replacement copies to it: dashed lines with an arrow. */
  readonly replacing?: boolean | undefined
}

export interface LanesData {
  readonly buckets: readonly LaneNode[]
  readonly sets: readonly LaneSet[]
  readonly providers: readonly LaneNode[]
}

export type LaneKind = 'bucket' | 'set' | 'provider'

/** `bucket:media`, so that ids of the lanes cannot meet. */
export type NodeRef = `${LaneKind}:${string}`

export const foldLimit = 40
export const rowHeight = 56

export interface LaneEdge {
  readonly from: NodeRef
  readonly to: NodeRef
  readonly fromY: number
  readonly toY: number
  readonly set: LaneSet
}

interface LanesLayout {
  readonly data: LanesData
  readonly height: number
  /** Distance of the first node of each lane from the top, so that short lanes are in the middle. */
  readonly tops: Readonly<Record<LaneKind, number>>
  readonly left: readonly LaneEdge[]
  readonly right: readonly LaneEdge[]
  /** Buckets that are not shown. */
  readonly folded: number
}

/** The first buckets with their data sets and providers; all of them when `whole`. */
export function toLanesLayout(all: LanesData, whole: boolean): LanesLayout {
  const buckets = whole ? all.buckets : all.buckets.slice(0, foldLimit)
  const shown = new Set(buckets.map(({ id }) => id))
  const order = new Map(buckets.map(({ id }, index) => [id, index]))
  const sets = all.sets.filter(({ bucket }) => shown.has(bucket)).sort((a, b) => (order.get(a.bucket) ?? 0) - (order.get(b.bucket) ?? 0))
  const used = new Set(sets.map(({ provider }) => provider))
  const folded = all.buckets.length - buckets.length
  const providers = folded === 0 ? all.providers : all.providers.filter(({ id }) => used.has(id))
  const data = { buckets, sets, providers }
  const rows = Math.max(1, buckets.length, sets.length, providers.length)
  const top = (count: number) => ((rows - count) * rowHeight) / 2
  const tops = { bucket: top(buckets.length), set: top(sets.length), provider: top(providers.length) }
  const middle = (start: number, index: number) => start + index * rowHeight + rowHeight / 2
  const providerOrder = new Map(providers.map(({ id }, index) => [id, index]))
  const left: LaneEdge[] = []
  const right: LaneEdge[] = []
  sets.forEach((set, index) => {
    const setY = middle(tops.set, index)
    const to: NodeRef = `set:${set.id}`
    left.push({ from: `bucket:${set.bucket}`, to, fromY: middle(tops.bucket, order.get(set.bucket) ?? 0), toY: setY, set })
    const provider = providerOrder.get(set.provider)
    if (provider === undefined) return
    right.push({ from: to, to: `provider:${set.provider}`, fromY: setY, toY: middle(tops.provider, provider), set })
  })
  return { data, height: rows * rowHeight, tops, left, right, folded }
}

/** The node with everything that it is connected to. */
export function toConnected({ sets }: LanesData, node: NodeRef): ReadonlySet<NodeRef> {
  const kind = node.slice(0, node.indexOf(':'))
  const id = node.slice(node.indexOf(':') + 1)
  const own = sets.filter((set) => (kind === 'bucket' ? set.bucket : kind === 'set' ? set.id : set.provider) === id)
  return new Set<NodeRef>([node, ...own.flatMap((set): NodeRef[] => [`set:${set.id}`, `bucket:${set.bucket}`, `provider:${set.provider}`])])
}
