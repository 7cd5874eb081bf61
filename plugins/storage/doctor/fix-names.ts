/** Names of the fixes. The target of each is in parentheses. */
export const fixNames = {
  /** (id of the bucket) */
  bucketCounts: 'storage.bucket-counts',
  /** (owner of a row; all rows are counted again) */
  storedUsage: 'storage.stored-usage',
  /** (id of the content) */
  currentCount: 'storage.current-count',
  /** (id of the content) */
  recount: 'storage.recount',
  /** (`<content>/<blob>`) */
  forgetFile: 'storage.forget-file',
  /** (`<content>/<blob>`) */
  recheckFile: 'storage.recheck-file',
  /** (id of the blob) */
  restoreFile: 'storage.restore-file',
  /** (id of the blob) */
  dropPartFile: 'storage.drop-part-file',
  /** (`<epoch>/<folder>/<blob>`) */
  removeStray: 'storage.remove-stray',
} as const
