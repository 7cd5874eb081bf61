import type { DataSetRecord } from '#plugins/replication'

/** A ready data set of the first bucket, with one committed copy. */
export const dataSet = (changes: Partial<DataSetRecord> = {}): DataSetRecord => ({
  id: 1,
  bucketId: 1,
  copyIndex: 0,
  generation: 1,
  isCurrent: true,
  providerId: '7',
  serviceUrl: 'https://p7.example',
  dataSetId: '41',
  clientDataSetId: '99',
  status: 'ready',
  committedCopies: 1,
  physicalBytes: 200,
  referencedVersions: 1,
  currentVersions: 1,
  chosenReason: null,
  chosenDetail: null,
  createdAtMs: 0,
  updatedAtMs: 0,
  ...changes,
})
