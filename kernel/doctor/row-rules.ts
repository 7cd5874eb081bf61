/** Checks made of rules: statements that return rows only where an invariant is violated. */
import type { Reader } from '../db/database.ts'
import type { Statement } from '../db/statement.ts'
import { type DoctorCheck, defineDoctorCheck, type Finding, type LookPage } from './check.ts'

export interface RuleRow {
  readonly id: string | number
  readonly bucket?: string | null
  readonly key?: string | null
}

export interface RowRule {
  readonly invariant?: string
  readonly severity?: Finding['severity']
  readonly kind: string
  /** What is wrong, without the subject. */
  readonly violation: string
  readonly repair: string
  /** Name of a fix whose target is the id of the row. */
  readonly fix?: string
  readonly find: Statement<{ readonly limit: number }, RuleRow>
}

/** Rows listed for each violated rule. */
const rowsPerRuleMax = 100

/** One page per rule. */
export function checkOfRules({
  rules,
  ...spec
}: Pick<DoctorCheck, 'name' | 'title' | 'proves'> & { readonly rules: readonly RowRule[] }): DoctorCheck {
  return defineDoctorCheck({
    ...spec,
    cost: 'quick',
    uses: {},
    async look(_services, { read, after = '0' }): Promise<LookPage> {
      const at = Number(after)
      const rule = rules[at]
      if (rule === undefined) return { findings: [], compared: 0 }
      const { findings, isCut } = await applyRule(read, rule)
      const page = { findings, compared: 1, ...(isCut && { isCut }) }
      return at + 1 < rules.length ? { ...page, next: String(at + 1) } : page
    },
  })
}

async function applyRule(read: Reader, rule: RowRule): Promise<{ readonly findings: readonly Finding[]; readonly isCut: boolean }> {
  const rows = await read.all(rule.find, { limit: rowsPerRuleMax + 1 })
  return { findings: rows.slice(0, rowsPerRuleMax).map((row) => toFinding(rule, row)), isCut: rows.length > rowsPerRuleMax }
}

function toFinding({ severity = 'error', invariant, kind, violation, repair, fix }: RowRule, { id, bucket, key }: RuleRow): Finding {
  return {
    severity,
    ...(invariant !== undefined && { invariant }),
    subject: { kind, id: String(id), ...(bucket != null && { bucket }), ...(key != null && { key }) },
    message: violation,
    repair,
    ...(fix !== undefined && { fix: { name: fix, target: String(id) } }),
  }
}
