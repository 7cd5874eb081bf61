/** Rows of SQLite whose parent is missing when a migration declares the foreign key. */

export type Execute = (text: string, params?: readonly unknown[]) => Promise<unknown>

interface Orphans {
  readonly table: string
  /** The table of the missing rows. */
  readonly parent: string
  readonly rows: number
  /** The table that has them now, as JSON. */
  readonly keptIn: string
}

export type OrphanListener = (orphans: Orphans) => void

interface Violation {
  readonly name: string
  readonly parent: string
  readonly id: number
}

/** Never deleted by svc. */
const keptIn = 'svc_orphaned_row'
/** A moved row may have been the parent of others. */
const passesMax = 20

/**
 * Moves rows that violate a foreign key to a table of its own, because the migration could not end with them: nothing could be reached
 * through their missing parent. Called in the transaction of the migration, while SQLite does not enforce foreign keys.
 */
export async function setAsideOrphans(execute: Execute, migration: string, onOrphans: OrphanListener = () => {}): Promise<void> {
  for (let pass = 0; pass < passesMax; pass++) {
    const violations = await findViolations(execute)
    if (violations.length === 0) return
    await execute(
      `create table if not exists ${keptIn} (id integer primary key autoincrement, migration text not null, table_name text not null,
         parent text not null, row text not null)`,
    )
    for (const violation of violations) {
      onOrphans({ table: violation.name, parent: violation.parent, rows: await move(execute, migration, violation), keptIn })
    }
  }
  throw new Error(`the migration ${migration} left rows that refer to missing rows`)
}

const findViolations = async (execute: Execute): Promise<readonly Violation[]> =>
  (await execute('select distinct "table" as name, parent, fkid as id from pragma_foreign_key_check order by 1, 3')) as readonly Violation[]

async function move(execute: Execute, migration: string, { name, parent, id }: Violation): Promise<number> {
  const columns = (await execute(
    `select "from" as child, coalesce("to", (select name from pragma_table_info(${quoted(parent)}) where pk = seq + 1)) as parent
     from pragma_foreign_key_list(${quoted(name)}) where id = ${id} order by seq`,
  )) as readonly { readonly child: string; readonly parent: string }[]
  const present = columns.map(({ child }) => `o."${child}" is not null`).join(' and ')
  const same = columns.map(({ child, parent: key }) => `p."${key}" = o."${child}"`).join(' and ')
  const isOrphan = `${present} and not exists (select 1 from "${parent}" p where ${same})`
  const all = (await execute(`select name from pragma_table_info(${quoted(name)})`)) as readonly { readonly name: string }[]
  // JSON has no bytes.
  const members = all.map(
    (column) => `'${column.name}', iif(typeof(o."${column.name}") = 'blob', hex(o."${column.name}"), o."${column.name}")`,
  )
  await execute(
    `insert into ${keptIn} (migration, table_name, parent, row)
     select ${quoted(migration)}, ${quoted(name)}, ${quoted(parent)}, json_object(${members.join(', ')}) from "${name}" o where ${isOrphan}`,
  )
  const [moved] = (await execute(`select count(*) as rows from "${name}" o where ${isOrphan}`)) as readonly { readonly rows: number }[]
  await execute(`delete from "${name}" as o where ${isOrphan}`)
  return moved?.rows ?? 0
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
