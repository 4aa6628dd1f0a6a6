import { httpStore } from 'offstage/http-store'
import { startWorker } from 'offstage/worker'

startWorker({ stores: [httpStore({ url: '/api/history' })] })
