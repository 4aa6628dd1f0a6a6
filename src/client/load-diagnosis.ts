import { loadPart } from './load-part.ts'
import type { StartFailure } from './start-failure.ts'
import type * as diagnosis from './start-diagnosis/start-diagnosis.ts'

/** Loads what is needed only when a worker doesn't start; without it, the error says what shows by itself. */
export const loadDiagnosis = ({ thrown }: StartFailure): Promise<typeof diagnosis> =>
  loadPart(() => import('./start-diagnosis/start-diagnosis.ts'), thrown)
