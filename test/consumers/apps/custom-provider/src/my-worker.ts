import { startWorker } from 'offstage/worker'
import { myProvider } from './my-provider.ts'

startWorker({ providers: [myProvider] })
