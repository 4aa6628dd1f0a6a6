import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../../scripts/lib/run.mjs'
import type { Compilation } from './type-setups.ts'

/** Compiles the app of `apps/types`; resolves to the compiler's complaints. */
export async function compileApp(
  folder: string,
  compiler: string,
  { resolution, lib, exactOptional }: Compilation,
): Promise<string> {
  const compilerOptions = {
    target: 'ES2022',
    module: resolution.startsWith('node') && resolution !== 'node' ? resolution : 'ESNext',
    moduleResolution: resolution,
    lib,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: exactOptional,
    skipLibCheck: false,
    noEmit: true,
  }
  // Where the lib has no `Symbol.asyncDispose`, there is no `await using` either.
  const files = [
    'src/app.ts',
    'src/entries.ts',
    ...(lib.includes('ESNext') ? ['src/using.ts'] : []),
  ]
  const config = path.join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions, files }))
  const { output } = await run(process.execPath, [compiler, '-p', config], { quiet: true })
  return output
}
