import { type Database, database, defineMetric } from '#kernel'

/** Nothing is kept in this process for a database server. */
const sampleOf = ({ database }: { readonly database: Database }, figure: keyof ReturnType<NonNullable<Database['memory']>>) => {
  const memory = database.memory?.()
  return memory ? [{ labels: {}, value: memory[figure] }] : []
}

export const databaseMetrics = [
  defineMetric({
    name: 'svc_database_statements',
    help: 'Prepared statements of SQLite that are kept, of all connections. None with PostgreSQL.',
    type: 'gauge',
    labels: [],
    uses: { database },
    collect: async (services) => sampleOf(services, 'statements'),
  }),
  defineMetric({
    name: 'svc_database_statements_max',
    help: 'Largest number of prepared statements of SQLite. None with PostgreSQL.',
    type: 'gauge',
    labels: [],
    uses: { database },
    collect: async (services) => sampleOf(services, 'statementsMax'),
  }),
]
