/** Counts what would hold without a provider. */
import type { BucketDependence, DependentCount, ProviderDependence } from '../../contract.ts'

/** A content with a committed copy at the provider. */
export interface DependentContent {
  readonly id: number
  /** Contents that it stands for: the members of a pack, or itself. The same for the bytes and the versions. */
  readonly contents: number
  readonly size: number
  readonly versions: number
  readonly target: number
  /** Leaves of its piece. */
  readonly leaves: bigint
  /** Slots with a durable copy, and copies that can be read, at other providers. */
  readonly durable: number
  readonly readable: number
  readonly isCached: boolean
  /** It may be a part of a composite. */
  readonly isHeld: boolean
  /** Members of a pack that are cached by themselves. Absent: it is no pack, or has copies. */
  readonly cached?: MemberSum
}

/** Members of a pack. */
export interface MemberSum {
  readonly contents: number
  readonly versions: number
  readonly size: number
}

const noMembers: MemberSum = { contents: 0, versions: 0, size: 0 }

interface Composite {
  readonly part: number
  readonly id: number
  readonly versions: number
}

const classes = ['all', 'belowTarget', 'belowMinimum', 'noOtherCopy', 'lost'] as const
type Class = (typeof classes)[number]

export function classesOf({ durable, readable, target, isCached }: DependentContent, minimum: number): readonly Class[] {
  const hasNone = readable === 0
  const holds = {
    all: true,
    belowTarget: durable < target,
    belowMinimum: durable < minimum,
    noOtherCopy: hasNone,
    lost: hasNone && !isCached,
  }
  return classes.filter((name) => holds[name])
}

type Counts = Pick<BucketDependence, Class | 'pieces' | 'leaves'>

/** Adds up pages of contents of one data set. */
export class DependenceCount {
  readonly #counts = Object.fromEntries(
    classes.map((name) => [name, { contents: 0, versions: 0, bytes: 0n, composites: new Map<number, number>() }]),
  ) as Record<Class, { contents: number; versions: number; bytes: bigint; readonly composites: Map<number, number> }>
  #pieces = 0
  #leaves = 0n

  add(contents: readonly DependentContent[], composites: readonly Composite[], minimum: number): void {
    const ofPart = Map.groupBy(composites, ({ part }) => part)
    for (const content of contents) {
      const held = classesOf(content, minimum)
      for (const name of held) {
        const count = this.#counts[name]
        // Members of a lost pack that are cached are packed again.
        const saved = (name === 'lost' && content.cached) || noMembers
        count.contents += content.contents - saved.contents
        count.versions += content.versions - saved.versions
        count.bytes += BigInt(content.size - saved.size)
        // A composite has several parts, and counts once.
        for (const { id, versions } of ofPart.get(content.id) ?? []) count.composites.set(id, versions)
      }
      if (held.includes('lost') && !content.cached?.contents) continue
      this.#pieces += 1
      this.#leaves += content.leaves
    }
  }

  result(): Counts {
    const shown = ({ composites, ...count }: DependentCount & { readonly composites: ReadonlyMap<number, number> }): DependentCount => ({
      ...count,
      versions: [...composites.values()].reduce((sum, versions) => sum + versions, count.versions),
    })
    const { all, belowTarget, belowMinimum, noOtherCopy, lost } = this.#counts
    return {
      all: shown(all),
      belowTarget: shown(belowTarget),
      belowMinimum: shown(belowMinimum),
      noOtherCopy: shown(noOtherCopy),
      lost: shown(lost),
      pieces: this.#pieces,
      leaves: this.#leaves,
    }
  }
}

/** A bucket has one data set at a provider, so that no content is in two counts. */
export function sumDependence(buckets: readonly BucketDependence[]): ProviderDependence['total'] {
  const sum = (name: Class): DependentCount => ({
    contents: buckets.reduce((total, bucket) => total + bucket[name].contents, 0),
    versions: buckets.reduce((total, bucket) => total + bucket[name].versions, 0),
    bytes: buckets.reduce((total, bucket) => total + bucket[name].bytes, 0n),
  })
  return {
    all: sum('all'),
    belowTarget: sum('belowTarget'),
    belowMinimum: sum('belowMinimum'),
    noOtherCopy: sum('noOtherCopy'),
    lost: sum('lost'),
    pieces: buckets.reduce((total, { pieces }) => total + pieces, 0),
    leaves: buckets.reduce((total, { leaves }) => total + leaves, 0n),
  }
}
