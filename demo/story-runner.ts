import type { Cleanup } from '../dev/cleanup.ts';
import type { StoryContext } from '../dev/context.ts';
import { startOwnCorridor } from '../dev/own-corridor.ts';
import { probeCorridor, requireReady, temporalUi, workflowUrlOf } from '../dev/running-corridor.ts';
import { startWebhookReceiver } from '../dev/webhook-receiver.ts';
import { requireWebhooksTo } from '../dev/webhook-urls.ts';
import type { Config } from '../src/settings/config.ts';
import { runningSecret } from '../src/settings/secrets.ts';

export interface StoryOptions extends Pick<StoryContext, 'narrate' | 'print'> {
  cleanup: Cleanup;
  /** End a Corridor that the demo has started after the story. Otherwise it runs until the program is interrupted. */
  exit: boolean;
}

/** Runs a story to its end. It starts what the story needs; the cleanup stops it. */
export type RunStory = (options: StoryOptions) => Promise<void>;

type Story = (context: StoryContext) => Promise<void>;

/** Runs the story on the Corridor that runs here, or on one of its own if there is none. */
export const onAnyCorridor =
  (story: Story): RunStory =>
  async (options) => {
    const probe = await probeCorridor();
    // A Corridor that is named, or that is not ready, is the one that is meant.
    if (probe.state === 'none' && process.env.PUBLIC_URL === undefined)
      return onOwnCorridor({}, story)(options);
    await story(await createStoryContext(requireReady(probe), options));
  };

/** Runs the story on a Corridor of its own, with these settings. */
export const onOwnCorridor =
  (settings: Record<string, string>, story: Story): RunStory =>
  async (options) => {
    const { narrate, print, cleanup, exit } = options;
    const named = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    narrate('The demo starts a Corridor of its own, with its data in a temporary folder.');
    if (named.length > 0) print(`settings: ${named.join(' ')}`);
    const { config, ended } = await startOwnCorridor({ settings, progress: print, cleanup });
    print(`ready at ${config.publicUrl}`);
    const context = await createStoryContext(config, options);
    const endedTooEarly = ended.then(() => {
      throw new Error('its own Corridor has ended');
    });
    await Promise.race([story(context), endedTooEarly]);
    if (exit) return;
    narrate('This Corridor runs until Ctrl-C. Then the demo removes its data.');
    print(placesToLook(config, context.adminKey));
    await endedTooEarly;
  };

/** What to open while the demo's own Corridor runs. */
function placesToLook(config: Config, adminKey: string): string {
  const { publicUrl, port, dataDir } = config;
  const places = {
    Console: `${publicUrl}/console   (sign in with the admin key)`,
    'Admin key': adminKey,
    'Temporal UI': temporalUi(config),
    Reference: `${publicUrl}/docs`,
    'Next story': `PORT=${port} DATA_DIR=${dataDir} npm run demo -- --story dispute   (in another terminal)`,
  };
  return Object.entries(places)
    .map(([name, place]) => `${name.padEnd(13)}${place}`)
    .join('\n');
}

async function createStoryContext(
  config: Config,
  { narrate, print, cleanup }: StoryOptions,
): Promise<StoryContext> {
  const { value: adminKey } = await runningSecret('adminApiKey', config);
  const receiver = await startWebhookReceiver((await runningSecret('webhookSecret', config)).value);
  cleanup.add(receiver.close);
  // Before the story creates anything.
  await requireWebhooksTo(receiver.url, config.publicUrl);
  return {
    baseUrl: config.publicUrl,
    adminKey,
    receiver,
    narrate,
    print,
    workflowUrl: workflowUrlOf(config),
  };
}
