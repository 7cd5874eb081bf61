/** What may be uploaded, before anything is sent. */
import { findKeyProblem } from '../keys-policy.ts'

interface SizeLimits {
  readonly min: number
  readonly max: number
}

interface ChosenFile {
  /** Includes the folders that were chosen: `holiday/1.jpg`. */
  readonly path: string
  readonly size: number
}

export interface JudgedFile extends ChosenFile {
  readonly key: string
  /** Why it is not sent. */
  readonly problem?: string
}

/** Most files of one upload: the queue shows each of them. */
export const filesMax = 2000

/** The sizes that the settings name; undefined when the running service may use others. */
export function readSizeLimits(settings: {
  readonly config: Readonly<Record<string, unknown>>
  readonly restart_required: boolean
}): SizeLimits | undefined {
  const { min_object_size: min, max_object_size: max, object_sizes } = (settings.config.s3 ?? {}) as Readonly<Record<string, unknown>>
  if (settings.restart_required || object_sizes !== 'default' || typeof min !== 'number' || typeof max !== 'number') return undefined
  return { min, max }
}

export function judgeFiles(files: readonly ChosenFile[], folder: string, limits: SizeLimits | undefined): readonly JudgedFile[] {
  const taken = new Set<string>()
  return files.map((file) => {
    const key = folder + file.path
    const problem = taken.has(key) ? 'Another chosen file has the same key.' : (findKeyProblem(key) ?? findSizeProblem(file.size, limits))
    taken.add(key)
    return { ...file, key, ...(problem === undefined ? {} : { problem }) }
  })
}

function findSizeProblem(size: number, limits: SizeLimits | undefined): string | undefined {
  if (!limits) return undefined
  if (size < limits.min) return `Too small: it has ${count(size)}, the smallest object has ${count(limits.min)}.`
  if (size > limits.max) return `Too large: it has ${count(size)}, the largest object has ${count(limits.max)}.`
  return undefined
}

/** The files as objects of their mean size, for an estimate; undefined without bytes, which are stored without copies. */
export function priceableFiles(files: readonly ChosenFile[]): { readonly objects: number; readonly bytes: number } | undefined {
  const filled = files.filter(({ size }) => size > 0)
  if (filled.length === 0) return undefined
  return { objects: filled.length, bytes: Math.ceil(filled.reduce((all, { size }) => all + size, 0) / filled.length) }
}

const count = (bytes: number): string => `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`
