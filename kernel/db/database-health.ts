import { defineHealthCheck } from '../health/health.ts'
import { database } from './database.ts'

export const databaseHealth = defineHealthCheck({
  name: 'db',
  uses: { database },
  otherwise: 'db: unreachable',
  async check({ database }) {
    const problem = await database.ping()
    return problem && `db: ${problem}`
  },
})
