/** Endpoints of the S3 plugin, for clients of the Admin API. */
export * from './users/user-api.ts'
