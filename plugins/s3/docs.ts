/** What generated pages show of the S3 API. */
export { fieldBytesMax } from './auth/form.ts'
export { type NamedRow, operationTable } from './operations/table/operation-table.ts'
export { type BodyKind, type Level, levels } from './operations/table/row.ts'
export { requestLimits, requestLimitTexts } from './server/request-limits.ts'
