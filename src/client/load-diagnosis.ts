import { loadPart } from './load-part.ts'
import type { StartFailure } from './start-failure.ts'
import type * as diagnosis from './start-diagnosis/start-diagnosis.ts'

/**
 * Loads the diagnosis, which is needed only when a worker doesn't start. Without it, the error has only its own facts.
 */
export const loadDiagnosis = ({ thrown }: StartFailure): Promise<typeof diagnosis> =>
  loadPart(() => import('./start-diagnosis/start-diagnosis.ts'), thrown)
