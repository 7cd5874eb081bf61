/** Names of the fixes. The target of each is in parentheses. */
export const fixNames = {
  /** Of the storage plugin (id of the content). */
  recount: 'storage.recount',
  /** (local id of the data set) */
  dataSetTotals: 'replication.data-set-totals',
  /** (id of the copy) */
  resumeCopy: 'replication.resume-copy',
} as const
