import { $, noSerialize, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { ApiError, formatPlural, invalidate, toast } from '@svc/ui-kit'
import { bucketHref } from '../../buckets/links.ts'
import { collectKeys, deleteKeys, type KeyResult } from './delete-keys.ts'

interface Deletion {
  /** Is undefined while they are looked for. */
  readonly keys: Signal<readonly string[] | undefined>
  /** There are more than one deletion takes. */
  readonly isCut: Signal<boolean>
  readonly problem: Signal<string>
  readonly results: Signal<readonly KeyResult[]>
  readonly phase: Signal<'asking' | 'running' | 'ended'>
  /** Resolves when all keys were tried: to whether every one was deleted. */
  readonly run: QRL<() => Promise<boolean>>
  readonly stop: QRL<() => void>
}

const touched = ['GET /buckets', 'GET /buckets/:name', 'GET /buckets/:name/objects', 'GET /buckets/:name/objects/deleted']

/** Looks for the keys of rows, and deletes them when told to. Ends with its component. */
export const useDeletion = (bucket: string, rowIds: readonly string[]): Deletion => {
  const keys = useSignal<readonly string[]>()
  const isCut = useSignal(false)
  const problem = useSignal('')
  const results = useSignal<readonly KeyResult[]>([])
  const phase = useSignal<'asking' | 'running' | 'ended'>('asking')
  const abort = useSignal(noSerialize(new AbortController()))
  useTask$(({ cleanup }) => {
    const control = new AbortController()
    abort.value = noSerialize(control)
    cleanup(() => control.abort())
    void collectKeys(bucket, rowIds, control.signal).then(
      (found) => {
        keys.value = found.keys
        isCut.value = found.isCut
      },
      (error: unknown) => {
        if (!control.signal.aborted) problem.value = error instanceof ApiError ? error.message : String(error)
      },
    )
  })
  const run = $(async () => {
    if (!keys.value || !abort.value || phase.value !== 'asking') return false
    phase.value = 'running'
    const report = (result: KeyResult) => {
      results.value = [...results.value, result]
    }
    await deleteKeys(bucket, keys.value, { signal: abort.value.signal, report })
    phase.value = 'ended'
    invalidate([...touched, 'GET /buckets/:name/objects/versions'])
    const done = results.value.filter((result) => result.problem === undefined).length
    if (done !== keys.value.length) return false
    toast({
      title: `${formatPlural(done, 'object')} moved to the trash`,
      to: bucketHref(bucket, { tab: 'trash' }),
      toLabel: 'Open the trash',
    })
    return true
  })
  return { keys, isCut, problem, results, phase, run, stop: $(() => abort.value?.abort()) }
}
