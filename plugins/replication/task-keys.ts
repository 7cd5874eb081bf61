/** Deduplication keys: at most one task per key is pending or running. */
export const taskKeys = {
  store: (contentId: number) => `storage_store:${contentId}`,
  ensure: (dataSetId: number) => `storage_dataset_ensure:${dataSetId}`,
  park: (dataSetId: number) => `storage_park:${dataSetId}`,
  pull: (dataSetId: number) => `storage_pull:${dataSetId}`,
  commit: (dataSetId: number) => `storage_commit:${dataSetId}`,
  cleanup: (dataSetId: number) => `storage_cleanup:${dataSetId}`,
  end: (dataSetId: number) => `storage_dataset_end:${dataSetId}`,
  standing: (dataSetId: number) => `storage_standing:${dataSetId}`,
  raise: (raiseId: number) => `storage_raise_copies:${raiseId}`,
  finality: 'storage_finality',
} as const
