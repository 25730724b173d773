import { signal } from '@preact/signals';

const STORAGE_KEY = 'corridor-sound';

/** Whether new orders play a sound. The browser stores this setting for all keys. */
export const isLoud = signal(localStorage.getItem(STORAGE_KEY) !== 'off');

let speaker: AudioContext | undefined;

export function toggleSound(): void {
  isLoud.value = !isLoud.value;
  localStorage.setItem(STORAGE_KEY, isLoud.value ? 'on' : 'off');
  ring();
}

const [TONES_HZ, TONE_SECONDS] = [[660, 880], 0.12];

/** Plays two short tones. Browsers stay silent until the user has interacted with the page. */
export function ring(): void {
  if (!isLoud.value) return;
  speaker ??= new AudioContext();
  void speaker.resume();
  TONES_HZ.forEach((hertz, index) => {
    if (speaker) playTone(speaker, hertz, speaker.currentTime + index * TONE_SECONDS);
  });
}

function playTone(context: AudioContext, hertz: number, at: number): void {
  const oscillator = new OscillatorNode(context, { frequency: hertz });
  const volume = new GainNode(context, { gain: 0.08 });
  oscillator.connect(volume).connect(context.destination);
  volume.gain.setTargetAtTime(0, at + TONE_SECONDS * 0.7, TONE_SECONDS / 6);
  oscillator.start(at);
  oscillator.stop(at + TONE_SECONDS * 2);
}
