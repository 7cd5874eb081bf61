import { type Params, type Reader, statementsOver, type TablesOf, type Tx } from '#kernel'
import type { seriesStepEntity } from './series-step-entity.ts'

const statement = statementsOver<TablesOf<typeof seriesStepEntity>>()

export interface StepRow {
  readonly stepMs: number
  readonly slot: number
  readonly firstStep: number
  readonly figures: string
}

const listAfter = statement((db, { stepMs, after, limit }: Params<{ stepMs: number; after: number; limit: number }>) =>
  db
    .selectFrom('series_steps')
    .select(['step_ms as stepMs', 'slot', 'first_step as firstStep', 'figures'])
    .where('step_ms', '=', stepMs)
    .where('slot', '>', after)
    .orderBy('slot')
    .limit(limit),
)

const put = statement((db, { stepMs, slot, firstStep, figures }: Params<StepRow>) =>
  db
    .insertInto('series_steps')
    .values({ step_ms: stepMs, slot, first_step: firstStep, figures })
    .onConflict((conflict) =>
      conflict
        .columns(['step_ms', 'slot'])
        .doUpdateSet((row) => ({ first_step: row.ref('excluded.first_step'), figures: row.ref('excluded.figures') })),
    ),
)

/** Rows of one resolution after a slot, in the order of their slots. */
export const pageOfSteps = (
  read: Reader,
  page: { readonly stepMs: number; readonly after: number; readonly limit: number },
): Promise<StepRow[]> => read.all(listAfter, page)

export async function putSteps(tx: Tx, rows: readonly StepRow[]): Promise<void> {
  for (const row of rows) await tx.run(put, row)
}
