export { ajvValidator } from './ajv-validator.ts'
export type { FastValidator } from '../../worker/validation/validator.ts'
