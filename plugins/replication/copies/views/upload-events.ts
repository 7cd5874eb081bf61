/** Publishes the progress of uploads and state changes of objects. */
import { type Clock, type Database, defineEvent, type Events, formatTime, type Log, type Reader, type TaskQueue } from '#kernel'
import type { TaskChange, TaskChanges } from '#kernel/system'
import type { ObjectState } from '../../contract.ts'
import type { UploadEvents, UploadProgress } from '../../upload-meter.ts'
import { storeTask } from '../placing/store-task.ts'
import { findContents, findVersionOfContent, findVersionOfWhole } from '../records/placement-store.ts'
import { withStates } from './being-stored.ts'
import { compositesOf, membersOf } from './composite-parts-store.ts'

/**
 * A content and one of its versions. `upload_id` is the content's id: a content is uploaded once for all its versions. `task_id` is
 * always null.
 */
interface Upload {
  readonly upload_id: number
  readonly task_id: null
  readonly version_id: string
  readonly bucket_name: string
  readonly object_key: string
}

/** Bytes were sent to the first provider. */
export const uploadProgressUpdated = defineEvent<
  Upload & {
    readonly progress: {
      readonly scope: 'ingress_store'
      readonly attempt: number
      readonly uploaded_bytes: number
      readonly total_bytes: number
      readonly percent: number
      readonly done: boolean
      readonly updated_at: string
    }
  }
>('upload_progress_updated')

/** The state of an object changed. */
export const uploadStateChanged = defineEvent<Upload & { readonly state: ObjectState }>('upload_state_changed')

export const uploadEventLimits = {
  gatherMs: 1000,
  /** Contents per second, as many as the stream buffers for a slow client; more are dropped, and clients reload the list. */
  gatheredMax: 32,
  /** Steps of progress that wait to be published; more are dropped, and the next one shows the progress. */
  waitingMax: 32,
} as const

interface UploadEventDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  readonly taskChanges: TaskChanges
  readonly log: Log
  readonly queue: Pick<TaskQueue, 'openKeys'>
}

export function createUploadEvents({ database, clock, events, taskChanges, log, queue }: UploadEventDeps): UploadEvents {
  const changed = new Set<number>()
  const stop = new AbortController()
  let gathering: Promise<void> | undefined
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  /** One after the other, so that events keep their order. Callers do not wait: an upload must not fail because of an event. */
  function enqueue(publish: () => Promise<void>, onError: (error: unknown) => void): void {
    last = last
      .then(() => (stop.signal.aborted ? undefined : publish()))
      .catch((error) => {
        // No client is connected during shutdown.
        if (!stop.signal.aborted) onError(error)
      })
  }

  async function publishProgress(contentId: number, progress: UploadProgress): Promise<void> {
    waiting -= 1
    const upload = (await identify(database.read, contentId)) ?? (await identify(database.read, contentId, findVersionOfWhole))
    // The upload is undefined when its last version was deleted since the step.
    if (upload) events.publish(uploadProgressUpdated, { ...upload, progress: describeProgress(progress) })
  }

  async function publishChanged(): Promise<void> {
    gathering = undefined
    const contentIds = [...changed]
    changed.clear()
    if (!events.isWatched()) return events.skip()
    for (const change of await database.snapshot((read) => findStates(read, queue, contentIds))) events.publish(uploadStateChanged, change)
  }

  function note(contentId: number): void {
    if (stop.signal.aborted || changed.size >= uploadEventLimits.gatheredMax) return
    changed.add(contentId)
    gathering ??= clock.sleep(uploadEventLimits.gatherMs, stop.signal).then(
      () => enqueue(publishChanged, (error) => log.warn('upload state changes could not be published', { error })),
      // Only the end of the service ends the sleep.
      () => {},
    )
  }

  /** An object's state is `failed` while its store task is failed. */
  function noteTask({ kind, status, subjectKey }: TaskChange): void {
    if (kind === storeTask.kind && status !== 'completed') note(Number(subjectKey))
  }
  const stopWatching = taskChanges.subscribe(noteTask)

  return {
    changed: (tx, contentIds) => tx.afterCommit(() => contentIds.forEach(note)),
    progressed(contentId, progress) {
      if (!events.isWatched()) return events.skip()
      // The last step is never left out: no later one shows that the upload is done.
      if (waiting >= uploadEventLimits.waitingMax && !progress.isDone) return
      waiting += 1
      enqueue(
        () => publishProgress(contentId, progress),
        (error) => log.warn('upload progress could not be published', { content: contentId, error }),
      )
    },
    async [Symbol.asyncDispose]() {
      stopWatching()
      stop.abort()
      await gathering
      await last
    },
  }
}

async function identify(read: Reader, contentId: number, find = findVersionOfContent): Promise<Upload | undefined> {
  const version = await find(read, contentId)
  return (
    version && {
      upload_id: contentId,
      task_id: null,
      version_id: version.versionId,
      bucket_name: version.bucketName,
      object_key: version.key,
    }
  )
}

const describeProgress = ({ attempt, sentBytes, totalBytes, updatedAtMs, isDone }: UploadProgress) =>
  ({
    scope: 'ingress_store',
    attempt,
    uploaded_bytes: sentBytes,
    total_bytes: totalBytes,
    percent: Math.floor((sentBytes * 100) / totalBytes),
    done: isDone,
    updated_at: formatTime(updatedAtMs),
  }) as const

async function findStates(read: Reader, queue: UploadEventDeps['queue'], contentIds: readonly number[]) {
  const found: (Upload & { readonly state: ObjectState })[] = []
  const { gatheredMax } = uploadEventLimits
  const changedIds = [...contentIds, ...(await membersOf(read, contentIds, gatheredMax))]
  changedIds.push(...(await compositesOf(read, changedIds, gatheredMax)))
  for (const { contentId, state } of await withStates(read, queue, await findContents(read, changedIds))) {
    const upload = await identify(read, contentId)
    if (upload) found.push({ ...upload, state })
  }
  return found
}
