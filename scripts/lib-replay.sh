# shellcheck shell=bash disable=SC2154
# The replay part of scripts/measure-gpu: plans of networks × schedules × budgets × {spin, real}, run by one
# process of the measuring program in order of value, and a JSON for each of them. Sourced, never run.
#
# In OUT_DIR/replay:
#   profile.json     the profile that all plans were made with: a later calibration does not change them
#   budgets.txt      network, batch, schedule, in-core peak, smallest budget that the schedule can do with
#   cases-N.txt      the plans of stage N: number, name and the arguments of `ooc-paleo replay`
#   script-N.txt     their requests
#   log.txt          the answers, line by line as they come
#   layers-*.csv     measured layers: what `real` plans are predicted with
#   CASE.json        predicted against measured, by `ooc-paleo replay --import-measurements`

# NETWORK:BATCH …, most telling first. An iteration takes well under a second and moves at most 8 GB.
replay_networks=${OOC_MEASURE_NETWORKS:-vgg16:32 resnet50:64 inception_v3:64 googlenet:128 alexnet:256}
replay_run=(--iterations 7 --warmup 2 --max-time 3s)

# json_number KEY FILE: the first number of that key, of a JSON with one key a line.
json_number() { sed -n "s/^ *\"$1\": \([0-9][0-9]*\),\{0,1\}\$/\1/p" "$2" | head -n 1; }

# The schedules that every comparison is about, in order of value; the others as the program lists them.
replay_first_schedules=(vdnn-all vdnn-conv vdnn-like capacity)

# All schedules but in-core.
replay_schedules() {
  printf '%s\n' "${replay_first_schedules[@]}"
  "$main_program" list schedules | awk '{ print $1 }' |
    grep -Fvx -e in-core "${replay_first_schedules[@]/#/-e}"
}

# can_be_replayed NETWORK BATCH SCHEDULE: said once where a schedule cannot (copies that page faults make) or the
# profile lacks what it needs.
can_be_replayed() {
  local status=0 said=$replay_dir/refused.err
  "$main_program" replay "$1" --batch "$2" --schedule "$3" --hardware "$replay_dir/profile.json" --quiet \
    --export-plan "$replay_dir/plan.txt" -o /dev/null 2>"$said" || status=$?
  ((status != 2)) || printf 'replay: %s is left out: %s\n' "$3" "$(head -n 1 "$said")" >&2
  rm -f "$said" "$replay_dir/plan.txt"
  ((status != 2))
}

# predicted NETWORK BATCH SCHEDULE [option …]: the JSON of a prediction; a plan that does not fit has one too.
predicted() {
  local network=$1 batch=$2 schedule=$3
  shift 3
  "$main_program" predict "$network" --batch "$batch" --hardware "$replay_dir/profile.json" \
    --schedule "$schedule" --format json --quiet "$@" 2>/dev/null
}

# Budgets between what a schedule needs at least and what in-core takes.
find_budgets() {
  local pair schedule network batch peak smallest answer=$replay_dir/prediction.json schedules=()
  [[ ! -s $replay_dir/budgets.txt ]] || return 0
  pair=${replay_networks%% *}
  for schedule in $(replay_schedules); do
    if can_be_replayed "${pair%:*}" "${pair#*:}" "$schedule"; then schedules+=("$schedule"); fi
  done
  for pair in $replay_networks; do
    network=${pair%:*} batch=${pair#*:}
    predicted "$network" "$batch" in-core >"$answer" || true
    peak=$(json_number in_core_peak_bytes "$answer")
    [[ -n $peak ]] || { printf 'replay: no prediction for %s\n' "$network" >&2; continue; }
    for schedule in "${schedules[@]}"; do
      # Next to nothing: the answer says what would do.
      predicted "$network" "$batch" "$schedule" --memory 1B >"$answer" || true
      smallest=$(json_number smallest_budget_bytes "$answer")
      printf '%s %s %s %s %s\n' "$network" "$batch" "$schedule" "$peak" "${smallest:-$peak}"
    done
  done >"$replay_dir/budgets.new"
  rm -f "$answer"
  mv "$replay_dir/budgets.new" "$replay_dir/budgets.txt"
}

# export_case STAGE NAME NETWORK BATCH SCHEDULE MODE BYTES: appends a plan to the stage. One that is there
# already under another name (a schedule that does not use what it is given) is not measured twice.
export_case() {
  local stage=$1 name=$2 network=$3 batch=$4 schedule=$5 mode=$6 bytes=$7 number
  local arguments=("$network" --batch "$batch" --schedule "$schedule" --compute "$mode"
    --memory "${bytes}B" "${replay_run[@]}")
  local layers=$replay_dir/layers-$network-$batch.csv
  if [[ $mode == real && $stage -gt 1 && -s $layers ]]; then
    arguments+=(--layer-times "$layers")
  fi
  if ! "$main_program" replay "${arguments[@]}" --hardware "$replay_dir/profile.json" --quiet \
    --export-plan "$replay_dir/plan.txt" -o /dev/null 2>"$replay_dir/export.err"; then
    printf 'replay: %s has no plan: %s\n' "$name" "$(head -n 1 "$replay_dir/export.err")" >&2
    return 0
  fi
  number=$(sed -n 's/^plan id=\([0-9]*\) .*/\1/p' "$replay_dir/plan.txt" | head -n 1)
  [[ -n $number ]] || { printf 'replay: %s: a plan without number\n' "$name" >&2; return 1; }
  if ! cut -d ' ' -f 1 "$replay_dir/cases-$stage.new" | grep -qx "$number"; then
    cat "$replay_dir/plan.txt" >>"$replay_dir/script-$stage.new"
  fi
  printf '%s %s %s\n' "$number" "$name" "${arguments[*]}" >>"$replay_dir/cases-$stage.new"
}

# In-core runs first: they say what each layer takes on this machine.
export_stage_1() {
  local mode network batch peak
  for mode in real spin; do
    while read -r network batch peak; do
      export_case 1 "$network-in-core-$mode" "$network" "$batch" in-core "$mode" "$peak"
    done < <(awk '!seen[$1]++ { print $1, $2, $4 }' "$replay_dir/budgets.txt")
  done
}

# budget_bytes high|middle|low PEAK SMALLEST
budget_bytes() {
  local peak=$2 smallest=$3
  if ((smallest >= peak)); then echo "$smallest"; return; fi
  case $1 in
    high) echo "$peak" ;;
    middle) echo $(((peak + smallest) / 2)) ;;
    low) echo $((smallest + (peak - smallest) / 50)) ;;
  esac
}

# export_part first|later BUDGET: of these schedules with all networks, both ways to compute.
export_part() {
  local part=$1 budget=$2 mode network batch schedule peak smallest found
  for mode in spin real; do
    while read -r network batch schedule peak smallest; do
      found=later
      [[ " ${replay_first_schedules[*]} " != *" $schedule "* ]] || found=first
      [[ $found == "$part" ]] || continue
      export_case 2 "$network-$schedule-$budget-$mode" "$network" "$batch" "$schedule" "$mode" \
        "$(budget_bytes "$budget" "$peak" "$smallest")"
    done <"$replay_dir/budgets.txt"
  done
}

export_stage_2() {
  export_part first middle
  export_part first low
  export_part later middle
  export_part first high
  export_part later low
  export_part later high
}

# All plans of a stage, written once: numbers belong to plans, so what was measured stays measured.
export_stage() {
  local stage=$1
  [[ ! -f $replay_dir/script-$stage.txt ]] || return 0
  : >"$replay_dir/script-$stage.new"
  : >"$replay_dir/cases-$stage.new"
  "export_stage_$stage"
  rm -f "$replay_dir/plan.txt" "$replay_dir/export.err"
  mv "$replay_dir/cases-$stage.new" "$replay_dir/cases-$stage.txt"
  mv "$replay_dir/script-$stage.new" "$replay_dir/script-$stage.txt"
}

# measure_stage STAGE SECONDS
measure_stage() {
  local status=0
  guarded timeout --kill-after=5 "$(($2 + 20))" "$gpu_program" --device "$device" \
    --script "$replay_dir/script-$1.txt" --output "$replay_dir/log.txt" --budget-seconds "$2" ||
    status=$?
  ((status == 0)) || printf 'ooc-paleo-gpu ended with %d; its answers are kept\n' "$status" >&2
  return "$status"
}

# Times of the layers of a network from its in-core run: the medians of its steps, by name. Names are as in the
# plan (NAME.forward, NAME.backward, NAME.backward_data, …); updates keep the model's time.
write_layer_times() {
  local number name network rest
  while read -r number name network rest; do
    [[ $name == *-in-core-real ]] || continue
    awk -v id="id=$number" '
      FNR == 1 { ++file }
      $2 != id { next }
      file == 1 && $1 == "step" {
        step = name = ""
        for (i = 3; i <= NF; ++i) {
          if ($i ~ /^step=/) step = substr($i, 6)
          if ($i ~ /^name=/) name = substr($i, 6)
        }
        names[step] = name
      }
      file == 2 && $1 == "span" {
        for (i = 3; i <= NF; ++i) {
          if ($i ~ /^step=/) step = substr($i, 6)
          if ($i ~ /^median_ns=/) ns = substr($i, 11)
        }
        name = names[step]
        if (name ~ /%/ || !match(name, /\.(forward|backward|backward_data|backward_weights)$/)) next
        layer = substr(name, 1, RSTART - 1)
        if (!(layer in forward)) { order[++count] = layer; forward[layer] = backward[layer] = 0 }
        if (name ~ /\.forward$/) forward[layer] += ns; else backward[layer] += ns
      }
      END {
        if (count == 0) exit
        print "layer,forward_ms,backward_ms"
        for (i = 1; i <= count; ++i)
          printf "%s,%.6f,%.6f\n", order[i], forward[order[i]] / 1e6, backward[order[i]] / 1e6
      }' "$replay_dir/script-1.txt" "$replay_dir/log.txt" >"$replay_dir/layers.new"
    if [[ -s $replay_dir/layers.new ]]; then
      mv "$replay_dir/layers.new" "$replay_dir/layers-$network-$(sed -n 's/.*--batch \([0-9]*\).*/\1/p' <<<"$rest").csv"
    fi
  done <"$replay_dir/cases-1.txt"
  rm -f "$replay_dir/layers.new"
}

# A JSON for each case that is answered. The part of the log that belongs to it is enough.
import_stage() {
  local stage=$1 number name arguments part=$replay_dir/part.txt
  while read -r number name arguments; do
    [[ ! -s $replay_dir/$name.json ]] || continue
    grep -q "^done id=$number " "$replay_dir/log.txt" || continue
    awk -v id="id=$number" '/^(hello|machine|ready)/ || $2 == id' "$replay_dir/log.txt" >"$part"
    # shellcheck disable=SC2086
    "$main_program" replay $arguments --hardware "$replay_dir/profile.json" --quiet --steps \
      --import-measurements "$part" --format json -o "$replay_dir/$name.json.new" 2>"$part.err" &&
      mv "$replay_dir/$name.json.new" "$replay_dir/$name.json" ||
      printf 'replay: %s: %s\n' "$name" "$(head -n 1 "$part.err")" >&2
  done < <(sed 's/--max-time [^ ]*//' "$replay_dir/cases-$stage.txt")
  rm -f "$part" "$part.err"
}

# Whether each case of a stage has its answer.
stage_is_answered() {
  local asked answered
  asked=$(cut -d ' ' -f 1 "$replay_dir/cases-$1.txt" | sort -u)
  answered=$(grep -E '^(done|error) id=' "$replay_dir/log.txt" 2>/dev/null |
    sed 's/^[a-z]* id=\([0-9]*\).*/\1/' | sort -u)
  comm -12 <(printf '%s\n' "$asked") <(printf '%s\n' "$answered") | wc -l |
    xargs printf 'replay, stage %s: %s of %s plans answered\n' "$1" "$(wc -l <<<"$asked")" >&2
  [[ -z $(comm -23 <(printf '%s\n' "$asked") <(printf '%s\n' "$answered")) ]]
}

# replay_matrix RESERVE: leaves so many seconds.
replay_matrix() {
  local reserve=$1 stage profile status=0
  replay_dir=$out_dir/replay
  mkdir -p "$replay_dir"
  if [[ ! -f $replay_dir/profile.json ]]; then
    for profile in "$out_dir/profile-full.json" "$out_dir/profile-quick.json"; do
      [[ ! -f $profile ]] || { cp "$profile" "$replay_dir/profile.json"; break; }
    done
  fi
  [[ -f $replay_dir/profile.json ]] || { printf 'replay: no profile was measured\n' >&2; return 1; }
  find_budgets
  for stage in 1 2; do
    (($(left) > reserve + 5)) || return 1
    export_stage "$stage"
    measure_stage "$stage" "$(($(left) - reserve))" || status=1
    ((stage != 1)) || write_layer_times
    import_stage "$stage"
    stage_is_answered "$stage" || status=1
  done
  return "$status"
}
