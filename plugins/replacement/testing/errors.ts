export { replacementErrors } from '../errors.ts'
