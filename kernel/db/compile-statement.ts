import {
  type BinaryOperationNode,
  DummyDriver,
  Kysely,
  type LimitNode,
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SelectModifierNode,
  ValueNode,
} from 'kysely'
import type { Dialect, SqlText, SqlValue, Statement } from './statement.ts'

export interface CompiledStatement {
  /** Has positional placeholders: `?` for SQLite, `$1` for PostgreSQL. */
  readonly sql: string
  /** Sorted as the placeholders. */
  readonly params: readonly CompiledParam[]
}

interface CompiledParam {
  readonly name: string
  /** Is undefined where the text does not show it. */
  readonly isList: boolean | undefined
}

const placeholder = (dialect: Dialect, position: number) => (dialect === 'sqlite' ? '?' : `$${position}`)

/** The values of the parameters in the order of the placeholders. SQLite has no arrays, so it gets lists as JSON. */
export function bindParams({ sql, params }: CompiledStatement, values: unknown, dialect: Dialect): SqlValue[] {
  const bound: SqlValue[] = []
  for (const { name, isList } of params) {
    const value = (values as Readonly<Record<string, SqlValue>>)[name]
    if (value === undefined) throw new Error(`the parameter '${name}' is missing for: ${sql}`)
    const isGivenList = Array.isArray(value)
    if (isList !== undefined && isList !== isGivenList) {
      throw new Error(`the parameter '${name}' ${isList ? 'must be a list' : 'is a list, which may stand only after in'}: ${sql}`)
    }
    bound.push(isGivenList && dialect === 'sqlite' ? JSON.stringify(value) : value)
  }
  return bound
}

export function compileStatement({ source }: Statement, dialect: Dialect): CompiledStatement {
  if ('text' in source) return compileText(source.text, dialect)
  const { sql, parameters } = source.build(builders[dialect], paramReferences).compile()
  return { sql, params: parameters as readonly Param[] }
}

/** Placeholders, lists, limits and row locks, and what must not be searched for them: literals, quoted names (closed or not), comments and casts. */
const tokenPattern =
  /'[^']*(?:'|$)|"[^"]*(?:"|$)|--[^\n]*|::|\b(not )?in :([a-zA-Z]\w*)|\blimit (?=:)|:([a-zA-Z]\w*)|\bfor update( skip locked)?\b/g

function compileText(text: SqlText, dialect: Dialect): CompiledStatement {
  const params: CompiledParam[] = []
  const sql = (typeof text === 'string' ? text : text[dialect]).replace(tokenPattern, (token, not, list, name) => {
    if (list !== undefined) {
      params.push({ name: list, isList: true })
      return memberOf(dialect, not !== undefined, placeholder(dialect, params.length))
    }
    if (name !== undefined) {
      params.push({ name, isList: undefined })
      return placeholder(dialect, params.length)
    }
    if (dialect === 'postgres') return token
    if (token === 'limit ') return sqliteLimit
    return token.startsWith('for update') ? '' : token
  })
  return { sql, params }
}

/**
 * Before a parameter. SQLite plans with the value of a limit that is a bare parameter, and so prepares the statement again at each
 * execution: 50 to 300 µs. It does not look into an expression.
 */
const sqliteLimit = 'limit +'

/** One text for lists of every length: engines keep statements prepared by their text. */
function memberOf(dialect: Dialect, isNot: boolean, placeholder: string): string {
  if (dialect === 'sqlite') return `${isNot ? 'not in' : 'in'} (select value from json_each(${placeholder}))`
  return isNot ? `<> all(${placeholder})` : `= any(${placeholder})`
}

class Param {
  readonly name: string
  readonly isList: boolean

  constructor(name: string, isList = false) {
    this.name = name
    this.isList = isList
  }
}

/** `params.name` is an expression that compiles to a placeholder. */
const paramReferences = new Proxy(
  {},
  { get: (_, name: string) => ({ expressionType: undefined, toOperationNode: () => ValueNode.create(new Param(name)) }) },
)

/** Kysely's compiler with constants as literals (a partial index applies only to a literal), lists, limits, and locks that SQLite does not have. */
class StatementCompiler extends PostgresQueryCompiler {
  readonly #dialect: Dialect

  constructor(dialect: Dialect) {
    super()
    this.#dialect = dialect
  }

  protected override getCurrentParameterPlaceholder(): string {
    return placeholder(this.#dialect, this.numParameters)
  }

  protected override appendValue(value: unknown): void {
    if (value instanceof Param) super.appendValue(value)
    else this.appendImmediateValue(value)
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const operator = (node.operator as { readonly operator?: string }).operator
    if ((operator !== 'in' && operator !== 'not in') || !isParam(node.rightOperand)) {
      super.visitBinaryOperation(node)
      return
    }
    this.visitNode(node.leftOperand)
    this.addParameter(new Param((node.rightOperand.value as Param).name, true))
    this.append(` ${memberOf(this.#dialect, operator === 'not in', this.getCurrentParameterPlaceholder())}`)
  }

  protected override visitLimit(node: LimitNode): void {
    if (this.#dialect === 'postgres' || !isParam(node.limit)) {
      super.visitLimit(node)
      return
    }
    this.append(sqliteLimit)
    this.visitNode(node.limit)
  }

  protected override visitSelectModifier(node: SelectModifierNode): void {
    const isLock = node.modifier !== undefined && node.modifier !== 'Distinct'
    if (this.#dialect === 'postgres' || !isLock) super.visitSelectModifier(node)
  }
}

const isParam = (node: OperationNode): node is ValueNode => ValueNode.is(node) && node.value instanceof Param

const builderFor = (dialect: Dialect) =>
  new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new StatementCompiler(dialect),
    },
  })

const builders: Readonly<Record<Dialect, Kysely<unknown>>> = { sqlite: builderFor('sqlite'), postgres: builderFor('postgres') }
