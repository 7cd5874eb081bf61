/** Requests and answers of the admin plugin's endpoints, for the dashboard and for scripts. */
export type { BucketChange, BucketDetail, BucketItem, CreateBucket, DataSet, ProviderIdentity } from './buckets/bucket-api.ts'
export type {
  Copy,
  ObjectItem,
  ObjectPage,
  ObjectProvenance,
  ObjectState,
  ObjectStatus,
  ObjectStatusDetail,
  UploadProgress,
} from './objects/object-api.ts'
export type {
  AffectedVersions,
  DeletedObjects,
  DeletedVersion,
  DeleteMarkers,
  ObjectHistory,
  ObjectVersion,
  PurgedObject,
  RestoredObject,
  RestoredVersion,
} from './objects/version-api.ts'
export type { Overview } from './overview/overview-api.ts'
export type { SettingAbout, SettingProblem, Settings } from './settings/settings-api.ts'
export type { CacheStats, SystemInfo, SystemPlugins } from './system/system-api.ts'
