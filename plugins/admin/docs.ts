/** What generated pages show of the Admin API. */
export { writeOpenApi } from './openapi/openapi-document.ts'
