/** Tells watchers how the storing of objects goes on. */
import {
  type Clock,
  type Database,
  defineEvent,
  type Events,
  formatTime,
  type Log,
  type PublishedEvent,
  type TaskQueue,
  type TaskUpdate,
  type Tx,
  taskUpdated,
} from '#kernel'
import type { ObjectState } from '../contract.ts'
import { isBeingStored } from './being-stored.ts'
import { findContent, findVersionOfContent, objectState } from './placement-store.ts'
import { storeTask } from './store-task.ts'
import type { UploadProgress } from './upload-meter.ts'

/**
 * A content and one of the versions that have it. `upload_id`: the content's id; a content is uploaded once, however many versions have
 * it. Null task: uploads are known by their content.
 */
interface Upload {
  readonly upload_id: number
  readonly task_id: null
  readonly version_id: string
  readonly bucket_name: string
  readonly object_key: string
}

/** Bytes travelled to the first provider. */
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

/** The state of an object changed: its content moved on, or back. */
export const uploadStateChanged = defineEvent<Upload & { readonly state: ObjectState }>('upload_state_changed')

export interface UploadEvents extends AsyncDisposable {
  /** The content may have come to another state in this transaction. At most one announcement a second, of its latest state. */
  moved(tx: Tx, contentId: number): void
  progressed(contentId: number, progress: UploadProgress): void
}

export const uploadEventLimits = {
  gatherMs: 1000,
  /** As many as the stream keeps for a slow watcher: what is beyond this in one second is left out, and watchers read the list anyway. */
  gatheredMax: 32,
} as const

export interface UploadEventDoors {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  readonly log: Log
  readonly queue: Pick<TaskQueue, 'isOpen'>
}

export function createUploadEvents({ database, clock, events, log, queue }: UploadEventDoors): UploadEvents {
  const moved = new Set<number>()
  const stop = new AbortController()
  let gathering: Promise<void> | undefined

  function identify(contentId: number): Upload | undefined {
    const version = findVersionOfContent(database.read, contentId)
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

  function announceProgress(contentId: number, { attempt, sentBytes, totalBytes, updatedAtMs, isDone }: UploadProgress): void {
    const upload = identify(contentId)
    // Its last version was deleted meanwhile.
    if (!upload) return
    events.publish(uploadProgressUpdated, {
      ...upload,
      progress: {
        scope: 'ingress_store',
        attempt,
        uploaded_bytes: sentBytes,
        total_bytes: totalBytes,
        percent: Math.floor((sentBytes * 100) / totalBytes),
        done: isDone,
        updated_at: formatTime(updatedAtMs),
      },
    })
  }

  function announceMoved(): void {
    gathering = undefined
    const contentIds = [...moved]
    moved.clear()
    for (const contentId of contentIds) {
      const [upload, content] = [identify(contentId), findContent(database.read, contentId)]
      if (upload && content)
        events.publish(uploadStateChanged, { ...upload, state: objectState(content, () => isBeingStored(database.read, queue, contentId)) })
    }
  }

  function note(contentId: number): void {
    if (stop.signal.aborted || moved.size >= uploadEventLimits.gatheredMax) return
    moved.add(contentId)
    gathering ??= clock
      .sleep(uploadEventLimits.gatherMs, stop.signal)
      .then(announceMoved)
      .catch((error) => {
        // Nobody is left to be told at a stop; otherwise watchers miss something, and the work goes on.
        if (!stop.signal.aborted) log.warn('changes of uploads could not be announced', { error })
      })
  }

  /** An object has failed while its store task has, and is on its way again with the task. */
  function noteTask({ topic, payload }: PublishedEvent): void {
    if (topic !== taskUpdated.topic) return
    const { type, presentation_status: status, subject } = payload as TaskUpdate
    if (type === storeTask.kind && status !== 'completed' && status !== 'dismissed') note(Number(subject.key))
  }
  const stopWatching = events.subscribe(noteTask)

  return {
    moved: (tx, contentId) => tx.afterCommit(() => note(contentId)),
    progressed(contentId, progress) {
      try {
        announceProgress(contentId, progress)
      } catch (error) {
        // An upload does not end because watchers could not be told of it.
        log.warn('the progress of an upload could not be announced', { content: contentId, error })
      }
    },
    async [Symbol.asyncDispose]() {
      stopWatching()
      stop.abort()
      await gathering
    },
  }
}
