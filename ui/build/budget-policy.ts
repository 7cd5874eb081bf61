/** A JavaScript file of the first view. */
interface FirstFile {
  readonly name: string
  /** Size with brotli. */
  readonly bytes: number
}

const budget = { bytes: 60 * 1024, files: 25 } as const
/** For the declaration of each part of another author: svc itself may use its own budget up. */
const furtherPartBytes = 1024

/** Returns undefined when the first view is small enough. */
export function findBudgetProblem(files: readonly FirstFile[], furtherParts = 0): string | undefined {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const bytesMax = budget.bytes + furtherParts * furtherPartBytes
  if (bytes <= bytesMax && files.length <= budget.files) return undefined
  const largest = [...files].sort((a, b) => b.bytes - a.bytes).slice(0, 5)
  return `the first view has ${files.length} JavaScript files with ${bytes} bytes after brotli; allowed are ${budget.files} files and ${bytesMax} bytes. Largest: ${largest.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}. Load code when it is needed: import it in the page or dialog that uses it.`
}
