import type { ArkErrors, Type } from 'arktype'

type SchemaCheck<T> = { readonly value: T; readonly errors?: undefined } | { readonly errors: ArkErrors }

/** Goes through the Standard Schema interface, so that only files that define schemas load the library. */
export function checkSchema<T extends Type>(schema: T, value: unknown): SchemaCheck<T['infer']> {
  const result = schema['~standard'].validate(value) as { readonly value: T['infer'] } | ArkErrors
  return 'value' in result ? result : { errors: result }
}
