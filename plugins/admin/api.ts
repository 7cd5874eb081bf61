/** Endpoints of the admin plugin with their requests and answers, for the dashboard, scripts and tests of the whole product. */

export * from './archives/archive-api.ts'
export * from './buckets/bucket-api.ts'
export * from './bulk/bulk-api.ts'
export * from './contents/content-api.ts'
export * from './doctor/doctor-api.ts'
export * from './objects/object-api.ts'
export * from './objects/version-api.ts'
export * from './overview/overview-api.ts'
export * from './settings/settings-api.ts'
export * from './system/cache-api.ts'
export * from './system/system-api.ts'
