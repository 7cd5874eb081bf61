/** Names of the fixes. The target of each is in parentheses. */
export const fixNames = {
  /** Fix of the storage plugin (id of the content). */
  recount: 'storage.recount',
  /** (local id of the data set) */
  dataSetTotals: 'replication.data-set-totals',
  /** (id of the content) */
  resumeContent: 'replication.resume-content',
  /** (local id of the data set) */
  resumeDataSet: 'replication.resume-data-set',
} as const
