/** The schema library, for files that define schemas: bodies, queries and answers of endpoints, arguments of tasks. */
import './schema-config.ts'

export { type Type, type } from 'arktype'
