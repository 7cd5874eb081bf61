/** What an operator accepts with the retry of a task, by its type. Pure. */

interface RetryEffect {
  /** `danger`: the retry deletes permanently. */
  readonly level: 'review' | 'danger'
  readonly text: string
}

const effects: Readonly<Record<string, RetryEffect>> = {
  storage_store: {
    level: 'review',
    text: 'Sends the bytes to the provider again, unless the provider has them already. Nothing is paid by the upload itself.',
  },
  storage_park: { level: 'review', text: 'Asks the provider again whether it has stored the uploaded bytes. Nothing is paid.' },
  storage_pull: { level: 'review', text: 'Asks the provider again to fetch the bytes from a provider that has them.' },
  storage_commit: {
    level: 'review',
    text: 'Adds the pieces to their data set on chain, which is paid. A submission whose outcome is unknown is looked up first and not sent again.',
  },
  storage_dataset_ensure: {
    level: 'review',
    text: 'Creates a data set on chain, which is paid. A creation whose outcome is unknown is looked up first and not sent again.',
  },
  storage_dataset_end: {
    level: 'danger',
    text: 'Ends a paid storage service on chain. Copies that remain in this data set are lost with it. This cannot be undone.',
  },
  storage_cleanup: { level: 'danger', text: 'Removes copies of deleted objects from their provider. This cannot be undone.' },
  cache_evict: { level: 'review', text: 'Removes the cached bytes of an object. Its copies at providers stay.' },
}

const otherwise: RetryEffect = { level: 'review', text: 'The task starts again with all its attempts.' }

export const retryEffect = (type: string): RetryEffect => effects[type] ?? otherwise
