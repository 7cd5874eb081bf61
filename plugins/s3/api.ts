/** Endpoints of the S3 plugin, for clients of the Admin API. */
export * from './administration/bucket-setting-api.ts'
export * from './administration/share-api.ts'
export * from './administration/upload-api.ts'
export * from './users/user-api.ts'
